/**
 * What the server and the page tell each other, as types for editors. Nothing here runs.
 *
 * @typedef {[number, number, number, number]} Region u0, v0, u1, v1 in [0, 1], v down
 * @typedef {[number, number, number | null, number | null]} CurvePoint step, seconds, loss, dB
 *
 * @typedef {object} Overlay
 * @property {string} name
 * @property {"picture" | "points"} kind
 *
 * @typedef {object} SceneLight
 * @property {number} azimuth_deg where it stands at first
 * @property {number} elevation_deg
 * @property {string[]} panes that it lights
 * @property {"overhead" | "eye"} middle where it stands at an elevation of 90 degrees
 *
 * @typedef {object} SceneInput
 * @property {string} name
 * @property {number} low end of its range
 * @property {number} high
 * @property {number} value at first
 *
 * @typedef {object} Scene
 * @property {number} id
 * @property {string} kind of asset: said, never asked for; the other facts say what there is to do
 * @property {string} name
 * @property {number} width pixels
 * @property {number} height
 * @property {number} channels
 * @property {boolean} hdr
 * @property {number} stops of exposure, to begin with
 * @property {string[]} panes
 * @property {Record<string, string>} titles
 * @property {boolean} continuous whether the result is evaluated at any resolution
 * @property {Overlay[]} overlays
 * @property {SceneLight | null} light where there is one that can be moved
 * @property {string[]} turned panes whose subject can be turned before the eye
 * @property {SceneInput[]} inputs numbers that all panes are drawn with
 * @property {[number, number][]} levels width and height of each mip, where there are some
 * @property {number | null} bytes on disk, where a file is shown
 * @property {number | null} memory_bytes in a GPU, as shaders read it
 * @property {number | null} bits_per_pixel of the file
 * @property {string} bits_of what they are told for: "pixel"
 * @property {string | null} measured by its fit, for people
 * @property {{columns: string[], rows: string[][][]} | null} measured_table its numbers, cells of lines
 * @property {Record<string, string>} withheld why there is no "asset" or "report" to be had
 *
 * @typedef {object} Fit
 * @property {number} id
 * @property {string} verb
 * @property {"running" | "paused" | "finishing" | "ended" | "stopped" | "failed" | "shown"} state
 * @property {string} text
 * @property {string} picture
 * @property {string | null} preset
 * @property {number} seed
 * @property {string | null} transform
 * @property {number} rate_scale
 * @property {string} output
 * @property {string[]} can
 * @property {number | null} seconds
 * @property {number | null} steps
 * @property {string[]} warnings
 * @property {boolean} cut_short whether a page ended it before its own end
 * @property {boolean} [rated] whether a PSNR is measured on the way
 *
 * @typedef {object} FitKind a kind that is fitted
 * @property {string} name
 * @property {string} about
 * @property {boolean} picture whether it fits one, which may be uploaded
 * @property {boolean} maps whether it fits a folder of maps, which may be uploaded one by one
 * @property {string[]} documents what names of text files that it fits end with, which may be uploaded
 * @property {boolean} bpp whether bits per pixel may be asked for
 * @property {boolean} set whether members are given values
 * @property {string[]} presets
 * @property {string} what it takes, for people
 * @property {string} example of that, as a command has it
 *
 * @typedef {object} MapSet maps that were uploaded
 * @property {string} maps key of the set
 * @property {string} name
 * @property {{name: string, width: number, height: number, taken: string[]}[]} files
 * @property {Record<string, string>} refused why a kind cannot fit them, by its name
 *
 * @typedef {object} SourceSet a task or material that was uploaded, with its pictures
 * @property {string} source key of the set
 * @property {string} name
 * @property {{name: string, width: number, height: number}[]} files pictures
 * @property {string[]} kinds that fit it
 *
 * @typedef {object} Progress
 * @property {number} step
 * @property {number} seconds
 * @property {number | null} loss
 * @property {number | null} psnr_db
 * @property {number} psnr_step at which it was measured
 * @property {boolean} psnr_about of the fit as it runs, not of the file
 * @property {boolean} psnr_stale measured many steps ago
 * @property {number} share of the whole, 0 to 1
 * @property {number | null} samples_per_second
 * @property {number | null} left_seconds
 * @property {number[]} loss_breaks steps behind which losses are of another kind
 *
 * @typedef {object} Quality of a pane beside what it is compared with
 * @property {number} psnr_db
 * @property {number | null} ssim
 * @property {number | null} flip
 * @property {boolean} cropped SSIM and FLIP saw only the middle
 * @property {Rival[]} [beside] what files and textures have, as it is found
 *
 * @typedef {object} Preparing before there is a fit or an asset to show
 * @property {string} what is prepared
 * @property {string} doing what is done of it, "" where that is not told
 * @property {number} seconds for which it has been prepared
 *
 * @typedef {object} Rival
 * @property {string} name
 * @property {number} bytes on disk
 * @property {number} memory_bytes in a GPU
 * @property {number | null} psnr_db
 * @property {boolean} random_access whether a shader reads any texel of what lies on disk
 *
 * @typedef {object} FrameHeader
 * @property {number} id
 * @property {number} scene
 * @property {number} view
 * @property {number | null} step
 * @property {Region} region
 * @property {number} width
 * @property {number} height
 * @property {boolean} sharp
 * @property {boolean} [draft] whether it has noise that later pictures have not
 * @property {[number, number, number]} [rows] first, count and all: images are a band of a picture
 * @property {{pane: string, bytes: number, type: string}[]} images
 *
 * @typedef {object} Picture one picture as it came, or an error made of two
 * @property {ImageBitmap | OffscreenCanvas} source
 * @property {number} width
 * @property {number} height
 * @property {Region} region
 * @property {number | null} step
 * @property {boolean} sharp
 * @property {boolean} [draft]
 * @property {Uint8Array} [swept] of a picture put together from bands: 1 for each row that came
 * @property {string} look what it was drawn with besides: exposure, gamma, level, inputs, light
 */
export {};

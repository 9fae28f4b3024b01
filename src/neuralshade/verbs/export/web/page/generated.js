/** What comes with the assets of a page; see Scripts in page_asset.py. */

export const REBUILDS = []; // functions from arrays to the words of a shader
export const EVALUATORS = {}; // {set(words), at(u, v)} by asset, for pages without a GPU

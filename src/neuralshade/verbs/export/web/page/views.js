/** The views of assets, by their names in the data. */

import { MapsView } from "./maps.js";
import { MaterialView } from "./material.js";
import { ModelView } from "./model.js";
import { PictureView } from "./picture.js";

export const VIEWS = { maps: MapsView, material: MaterialView, model: ModelView, picture: PictureView };

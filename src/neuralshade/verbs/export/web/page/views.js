/** The views of assets, by their names in the data. */

import { PictureView } from "./picture.js";

export const VIEWS = { picture: PictureView };

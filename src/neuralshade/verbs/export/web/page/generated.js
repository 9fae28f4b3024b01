/** What comes with the assets of a page; see Scripts in page_asset.py. */

export const REBUILDS = {}; // by key: from settings to a function from arrays to a shader's words
export const EVALUATORS = {}; // {set(words), at(u, v)} by asset, for pages without a GPU

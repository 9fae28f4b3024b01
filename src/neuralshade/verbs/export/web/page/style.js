/** What embed.js puts in place of this: page.css and embed.css. */

export const STYLE = "";

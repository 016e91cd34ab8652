/** Styles are bundled where a module imports them. */
declare module "*.css";

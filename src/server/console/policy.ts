/** Nothing from elsewhere, no inline script or style, no HTML made from text, no frame around it. */
function contentPolicy(styles: string, ancestors: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

const UNUSED = ["camera", "microphone", "geolocation", "payment", "usb", "serial", "hid", "midi", "display-capture"];

function headersWith(policy: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": UNUSED.map((name) => `${name}=()`).join(", "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

export const CONSOLE_HEADERS = headersWith(contentPolicy("'self'", "'none'"));

/** A terminal places its rows by styles that it makes, and is framed by a page of the console. */
export const TERMINAL_HEADERS = headersWith(contentPolicy("'self' 'unsafe-inline'", "'self'"));

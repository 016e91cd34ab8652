import type { Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { decodeEntities } from "../../model/markdown/entities.ts";
import { safeHref } from "../../model/markdown/links.ts";

/** A link to another place, opened beside the console, which it learns nothing of. Other addresses stay text. */
export function SafeLink({ href, title, children }: { href: string; title?: string; children: ComponentChildren }) {
  const safe = safeHref(href);
  if (safe === undefined) return <span title={href}>{children}</span>;
  return (
    <a href={safe} title={title ?? safe} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

function inlineOf(token: Token): ComponentChildren {
  const inner =
    token.type !== "image" && "tokens" in token && token.tokens ? <Inline tokens={token.tokens} /> : undefined;
  switch (token.type) {
    case "strong":
      return <strong>{inner}</strong>;
    case "em":
      return <em>{inner}</em>;
    case "del":
      return <del>{inner}</del>;
    case "codespan":
      return <code>{decodeEntities(token.text)}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <SafeLink href={(token as Tokens.Link).href} title={(token as Tokens.Link).title ?? undefined}>
          {inner}
        </SafeLink>
      );
    case "image": {
      // A picture from elsewhere would tell its server who reads this.
      const { href, text } = token as Tokens.Image;
      return <SafeLink href={href}>{text || "picture"}</SafeLink>;
    }
    case "text":
      return inner ?? decodeEntities(token.text);
    case "escape":
      return token.text;
    case "checkbox":
      return null;
    default:
      return token.raw;
  }
}

export function Inline({ tokens }: { tokens: readonly Token[] }) {
  return <>{tokens.map(inlineOf)}</>;
}

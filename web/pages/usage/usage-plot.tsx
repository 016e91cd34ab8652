import type { UsageAnswer } from "../../../src/client/index.ts";
import { barsOf, TOKEN_KINDS, TOKEN_NAMES } from "../../model/usage.ts";

const HEIGHT = 140;
const STEP = 22;
const WIDTH = 16;

/** Bars of tokens: over days they stand, of other things they lie. The table beneath has the same in numbers. */
export function UsagePlot({ answer }: { answer: UsageAnswer }) {
  const bars = barsOf(answer);
  return (
    <figure class="plot">
      {answer.by === "day" ? <Days bars={bars} /> : <Lying bars={bars} />}
      <figcaption class="row small">
        {TOKEN_KINDS.map((kind) => (
          <span key={kind} class="row">
            <svg class={`t-${kind}`} width="12" height="12" aria-hidden="true">
              <rect width="12" height="12" rx="2" />
            </svg>
            {TOKEN_NAMES[kind]}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Days({ bars }: { bars: ReturnType<typeof barsOf> }) {
  const width = Math.max(bars.length * STEP, STEP);
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT + 18}`} class="days" role="img" aria-label="Tokens by day">
      {bars.map(({ key, parts }, at) => {
        let y = HEIGHT;
        return (
          <g key={key}>
            <title>{key}</title>
            {parts.map(({ kind, share }) => {
              const height = share * (HEIGHT - 4);
              y -= height;
              return <rect key={kind} class={`t-${kind}`} x={at * STEP + 3} y={y} width={WIDTH} height={height} />;
            })}
            {(at % 7 === 0 || bars.length < 8) && (
              <text x={at * STEP + 3} y={HEIGHT + 14}>
                {key.slice(5)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function Lying({ bars }: { bars: ReturnType<typeof barsOf> }) {
  return (
    <ul class="plain lying">
      {bars.slice(0, 20).map(({ key, name, parts }) => (
        <li key={key}>
          <span class="cut small" title={name}>
            {name}
          </span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            {parts.map(({ kind, share }, at) => (
              <rect
                key={kind}
                class={`t-${kind}`}
                x={100 * parts.slice(0, at).reduce((sum, part) => sum + part.share, 0)}
                width={100 * share}
                height="8"
              />
            ))}
          </svg>
        </li>
      ))}
    </ul>
  );
}

import { encode } from 'uqr';
import type { ReactNode } from 'react';

/** The code has the empty margin that readers need (ISO/IEC 18004). */
const EDGE = 4;

/** The code is dark on white in both themes, because some readers do not support inverse codes. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { data, size } = encode(text, { border: 0, ecc: 'M' });
  const squares = data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x + EDGE} ${y + EDGE}h1v1h-1z`] : [])),
  );
  const side = size + 2 * EDGE;
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${side} ${side}`} width={208} height={208} data-qr={text}>
      <rect width={side} height={side} fill="#fff" />
      <path d={squares.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

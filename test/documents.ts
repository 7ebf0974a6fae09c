/** Creates text like a manual with about this many bytes, which has sections, paragraphs, and repeated words. */
export function manualText(bytes: number, seed = 1): string {
  let state = seed;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const parts: string[] = [];
  for (let size = 0; size < bytes;) {
    const words = Array.from(
      { length: 60 },
      () => `${SYLLABLES[next(40)]}${SYLLABLES[next(40)]}${SYLLABLES[next(40)]}`,
    );
    const part = `${next(8) === 0 ? `## ${words[0]} ${words[1]}\n\n` : ''}${words.join(' ')}.\n\n`;
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, bytes);
}

const SYLLABLES =
  'ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru'.split(
    ' ',
  );

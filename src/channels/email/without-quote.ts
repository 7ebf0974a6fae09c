/** An e-mail has at most this many examined lines. */
const MAX_LINES = 5_000;
/** A mail program that folds lines may split the introduction of a quote into this many lines. */
const MAX_INTRODUCTION_LINES = 3;
const INTRODUCTIONS = [
  /^On .{5,200} wrote:$/,
  /^-{2,}\s*Original Message\s*-{2,}$/i,
  /^Le .{5,200} a écrit\s?:$/,
  /^Am .{5,200} schrieb.{0,200}:$/,
  /^في .{5,200} (كتب|كتابة).{0,200}:$/,
  /^(\S{1,12}, )?[\d०-९].{5,200} ने लिखा\s?:$/u,
];
/** Outlook does not mark a quote. Outlook repeats the header of the answered mail, with or without a line above. */
const HEAD = /^\*?(From|Von|De|من|प्रेषक)\s?:\*?\s\S/;
const SENT = /^\*?(Sent|Date|Gesendet|Datum|Envoyé|تم الإرسال|تاريخ الإرسال|التاريخ|भेजा गया|दिनांक)\s?:/;
const SUBJECT = /^\*?(Subject|Betreff|Objet|الموضوع|विषय)\s?:/;
const MAX_HEAD_LINES = 6;
/** Direction marks, which Arabic mail programs put around names and addresses. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns the person's own text of an e-mail without the quoted mail. The function returns the whole text if nothing
 * else would remain.
 */
export function withoutQuote(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n', MAX_LINES);
  const plain = lines.map((line) => line.replace(DIRECTIONS, '').trim());
  const at = quoteAt(plain);
  const own = at > 0 ? lines.slice(0, at) : lines;
  while (own.length > 0 && /^\s*(>.*|_{5,})?$/.test(own.at(-1)!)) own.pop();
  return own.join('\n').trim() || text.trim() || text;
}

/** Returns the index of the first line that the person did not write, or -1 if the person wrote all lines. */
function quoteAt(lines: readonly string[]): number {
  for (const index of lines.keys()) {
    const at = isHead(lines, index) ? index : introductionAt(lines, index);
    if (at !== null) return at;
  }
  return -1;
}

/**
 * Returns the index of the line at which the introduction of a quote begins. If several lines are possible, the nearest
 * one counts, because the lines above it belong to the person.
 */
function introductionAt(lines: readonly string[], end: number): number | null {
  let folded = '';
  for (let at = end; at >= 0 && at > end - MAX_INTRODUCTION_LINES && lines[at] !== ''; at--) {
    folded = `${lines[at]}${folded && ' '}${folded}`;
    if (INTRODUCTIONS.some((introduction) => introduction.test(folded))) return at;
  }
  return null;
}

function isHead(lines: readonly string[], from: number): boolean {
  if (!HEAD.test(lines[from]!)) return false;
  const below = lines.slice(from + 1, from + MAX_HEAD_LINES);
  return below.some((line) => SENT.test(line)) && below.some((line) => SUBJECT.test(line));
}

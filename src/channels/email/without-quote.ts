/** Lines of a quoted mail that are looked through. */
const MAX_LINES = 5_000;
/** Where a mail program that folds its lines may have cut an introduction. */
const MAX_INTRODUCTION_LINES = 3;
const INTRODUCTIONS = [
  /^On .{5,200} wrote:$/,
  /^-{2,}\s*Original Message\s*-{2,}$/i,
  /^Le .{5,200} a écrit\s?:$/,
  /^Am .{5,200} schrieb.{0,200}:$/,
  /^في .{5,200} (كتب|كتابة).{0,200}:$/,
  /^(\S{1,12}, )?[\d०-९].{5,200} ने लिखा\s?:$/u,
];
/** Outlook quotes nothing: it repeats the head of the mail that is answered, below a line or none. */
const HEAD = /^\*?(From|Von|De|من|प्रेषक)\s?:\*?\s\S/;
const SENT = /^\*?(Sent|Date|Gesendet|Datum|Envoyé|تم الإرسال|تاريخ الإرسال|التاريخ|भेजा गया|दिनांक)\s?:/;
const SUBJECT = /^\*?(Subject|Betreff|Objet|الموضوع|विषय)\s?:/;
const MAX_HEAD_LINES = 6;
/** Marks of direction, which Arabic mail programs put around names and addresses. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** What the person wrote, without the mail that it answers; the whole text if nothing else would be left. */
export function withoutQuote(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n', MAX_LINES);
  const plain = lines.map((line) => line.replace(DIRECTIONS, '').trim());
  const at = quoteAt(plain);
  const kept = at > 0 ? lines.slice(0, at) : lines;
  while (kept.length > 0 && /^\s*(>.*|_{5,})?$/.test(kept.at(-1)!)) kept.pop();
  return kept.join('\n').trim() || text.trim() || text;
}

/** The first line that is not the person's; -1 where all of it is. */
function quoteAt(lines: readonly string[]): number {
  for (const index of lines.keys()) {
    const at = isHead(lines, index) ? index : introductionAt(lines, index);
    if (at !== null) return at;
  }
  return -1;
}

/** Where an introduction begins that ends with this line; the nearest such line, what stands above is the person's. */
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

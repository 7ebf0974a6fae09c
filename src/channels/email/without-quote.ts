/** Lines of a quoted mail that are looked through. */
const MAX_LINES = 5_000;
const INTRODUCTIONS = [
  /^On .{5,200} wrote:$/,
  /^-{2,}\s*Original Message\s*-{2,}$/i,
  /^Le .{5,200} a écrit\s?:$/,
  /^Am .{5,200} schrieb.{0,200}:$/,
  /^في .{5,200} كتب.{0,200}:$/,
];

/** What the person wrote, without the mail that it answers; the whole text if nothing else would be left. */
export function withoutQuote(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n', MAX_LINES);
  const at = lines.findIndex((line) => INTRODUCTIONS.some((introduction) => introduction.test(line.trim())));
  const kept = at > 0 ? lines.slice(0, at) : lines;
  while (kept.length > 0 && /^\s*(>.*)?$/.test(kept.at(-1)!)) kept.pop();
  return kept.join('\n').trim() || text.trim() || text;
}

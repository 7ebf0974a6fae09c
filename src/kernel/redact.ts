/**
 * The last wall before a log line leaves the program: whatever looks like a credential is cut out of the finished
 * line, so it does not matter whether it came in a message, a nested object, an error or a stack. Patterns are those of
 * this program (keys, signing secrets, links that let somebody in), of HTTP (Authorization, cookies), of URLs with a password, of
 * members with telling names, and of the model and channel providers that people connect.
 */
export const REDACTED = '[redacted]';

/** Cheap to test: a line without any of these cannot match a pattern below. Most lines stop here. */
const SUSPICIOUS =
  /parley(?:_|%5f)|whsec_|bearer|authorization|cookie|api[-_]?key|[?&]key=|passw|secret|token|\/setup|\/invitations|\/verify|\/email-links|:\/\/[^\s"/]*@|sk-|AIza|xox[a-z]-|:AA/i;

/** Names of JSON members whose text is secret whatever it looks like. */
const MEMBERS =
  'authorization|proxy-authorization|cookie|set-cookie|x-api-key|api_?key|password|new_?password|current_?password|secret|client_?secret|signing_?secret|token|access_?token|refresh_?token|session_?token|setup_?token|pepper';
const JSON_TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
/** JSON inside a JSON text: its quotes carry backslashes. */
const ESCAPED_TEXT = String.raw`\\+"[^"\\]*\\+"`;

const API_KEY = /(parley(?:_|%5f)(?:us|eu|in|qa)(?:_|%5f)[0-9a-z]{6})[0-9a-z]+/gi;

/** What stands before the credential is kept (group 1), what follows is replaced. */
const PATTERNS = [
  // "password":"…", and the flat list of names and values that Node calls rawHeaders.
  new RegExp(String.raw`("(?:${MEMBERS})"\s*[:,]\s*)(?:${JSON_TEXT}|\[[^\]]*\])`, 'gi'),
  new RegExp(String.raw`(\\+"(?:${MEMBERS})\\+"\s*[:,]\s*)${ESCAPED_TEXT}`, 'gi'),
];
// Quantifiers are bounded, and a line break is two letters in JSON (\n), so a word boundary before a credential says nothing.
const PLAIN = [
  // A header line in a text, up to its end.
  /((?:authorization|cookie|x-api-key)\s*:\s*)(?!\s*(?:bearer\s+)?parley_)(?:[^"\\\r\n]|\\[^rn])+/gi,
  /(bearer\s+)(?!parley_)[^\s"\\,]+/gi,
  // scheme://user:password@host, the password up to the last @ before the path.
  /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s"/@:]{0,256}:)[^\s"/]+(?=@)/gi,
  /((?:password|token|secret|api_?key|[?&]key)=)[^&;\s"\\]+/gi,
  /(\/(?:setup|invitations|verify|email-links|password(?:-links)?)(?:\/|[?#]\w{0,20}=?))[\w.~-]{16,}/gi,
  /(whsec_)[\w+/=-]+/gi,
  /((?:\b|\\[nrt])sk-)[\w-]{16,}/g,
  /(AIza)[\w-]{30,}/g,
  /(xox[a-z]-)[\w-]{10,}/g,
  /((?<!\d)\d{8,10}:)AA[\w-]{30,}/g,
];

/** A finished line of log (JSON or text) without its credentials; JSON stays JSON. */
export function redact(line: string): string {
  if (!SUSPICIOUS.test(line)) return line;
  let clean = line.replace(API_KEY, `$1${REDACTED}`);
  for (const pattern of PATTERNS) {
    clean = clean.replace(
      pattern,
      (match: string, kept: string) => kept + (match.startsWith('\\') ? `\\"${REDACTED}\\"` : `"${REDACTED}"`),
    );
  }
  for (const pattern of PLAIN) clean = clean.replace(pattern, `$1${REDACTED}`);
  return clean;
}

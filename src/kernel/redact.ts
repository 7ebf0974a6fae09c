/**
 * Removes credentials from a log line, as the last barrier before the line leaves the program. Text that looks like a
 * credential is removed from the finished line, whether it came from a message, a nested object, an error or a stack.
 * The patterns cover credentials of this program (keys, signing secrets, links that grant access), of HTTP
 * (Authorization, cookies), in URLs with a password, in members whose names show a secret, and of the model and channel
 * providers that people connect.
 */
export const REDACTED = '[redacted]';

/**
 * A cheap test runs first. A line without any text of the cheap test cannot match a pattern of this file. Most lines
 * need no other check.
 */
const SUSPICIOUS =
  /parley(?:_|%5f)|whsec_|bearer|authorization|cookie|api[-_]?key|[?&]key=|passw|secret|token|\/setup|\/invitations|\/verify|\/email-links|:\/\/[^\s"/]*@|sk-|AIza|xox[a-z]-|:AA/i;

/** Names of JSON members whose text is always secret. */
const MEMBERS =
  'authorization|proxy-authorization|cookie|set-cookie|x-api-key|api_?key|password|new_?password|current_?password|secret|client_?secret|signing_?secret|token|access_?token|refresh_?token|session_?token|setup_?token|pepper';
const JSON_TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
/**
 * Matches JSON inside a JSON text, where backslashes precede quotes. The number of backslashes is limited, because a
 * search from each backslash of a long run would take the square of its length.
 */
const SLASHES = String.raw`\\{1,32}`;
const ESCAPED_TEXT = String.raw`${SLASHES}"[^"\\]*${SLASHES}"`;

const API_KEY = /(parley(?:_|%5f)(?:token(?:_|%5f))?(?:us|eu|in|qa)(?:_|%5f)[0-9a-z]{6})[0-9a-z]+/gi;

/** The text before the credential (group 1) stays, and the credential is replaced. */
const PATTERNS = [
  // Matches "password":"…" and the flat list of names and values that Node calls rawHeaders.
  new RegExp(String.raw`("(?:${MEMBERS})"\s*[:,]\s*)(?:${JSON_TEXT}|\[[^\]]*\])`, 'gi'),
  new RegExp(String.raw`(${SLASHES}"(?:${MEMBERS})${SLASHES}"\s*[:,]\s*)${ESCAPED_TEXT}`, 'gi'),
];
// All quantifiers are bounded. A line break is two letters in JSON (\n), so a word boundary before a credential proves
// nothing.
const PLAIN = [
  // Matches a header line in a text, to the end of the line.
  /((?:authorization|cookie|x-api-key)\s*:\s*)(?!\s*(?:bearer\s+)?parley_)(?:[^"\\\r\n]|\\[^rn])+/gi,
  /(bearer\s+)(?!parley_)[^\s"\\,]+/gi,
  // Matches scheme://user:password@host, with the password up to the last @ before the path.
  /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s"/@:]{0,256}:)[^\s"/]+(?=@)/gi,
  /((?:password|token|secret|api_?key|[?&]key)=)[^&;\s"\\]+/gi,
  /(parley(?:_|%5f)client(?:_|%5f)(?:us|eu|in|qa)(?:_|%5f))[\w%-]+/gi,
  /(\/(?:setup|invitations|verify|email-links|password(?:-links)?)(?:\/|[?#]\w{0,20}=?))[\w.~-]{16,}/gi,
  /(whsec_)[\w+/=-]+/gi,
  /((?:\b|\\[nrt])sk-)[\w-]{16,}/g,
  /(AIza)[\w-]{30,}/g,
  /(xox[a-z]-)[\w-]{10,}/g,
  /((?<!\d)\d{8,10}:)AA[\w-]{30,}/g,
];

/** Removes the credentials from a finished log line (JSON or text). JSON stays valid JSON. */
export function redact(line: string): string {
  if (!SUSPICIOUS.test(line)) return line;
  let clean = line.replace(API_KEY, `$1${REDACTED}`);
  for (const pattern of PATTERNS) {
    clean = clean.replace(
      pattern,
      (match: string, prefix: string) => prefix + (match.startsWith('\\') ? `\\"${REDACTED}\\"` : `"${REDACTED}"`),
    );
  }
  for (const pattern of PLAIN) clean = clean.replace(pattern, `$1${REDACTED}`);
  return clean;
}

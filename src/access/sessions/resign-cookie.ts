import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * better-auth signs the session cookie with one secret. While PARLEY_SECRET is being rotated, a cookie that was signed
 * with another accepted secret is re-signed with better-auth's own secret before better-auth sees it. The browser gets
 * a new cookie when the session is next prolonged. The cookie has the format of better-call, which is `value.signature`
 * with HMAC-SHA-256 in base 64, percent-encoded.
 */
export function resignCookie(
  cookies: string | undefined,
  name: string,
  [own, ...others]: readonly string[],
): string | undefined {
  if (cookies === undefined || others.length === 0) return cookies;
  return cookies.replace(
    new RegExp(`(^|;\\s*)(${name})=([^;]+)`),
    (whole, before: string, _name: string, text: string) => {
      const signed = decoded(text);
      const at = signed.lastIndexOf('.');
      const value = signed.slice(0, at);
      const given = Buffer.from(signed.slice(at + 1));
      const isOther = others.some((secret) => {
        const right = Buffer.from(sign(secret, value));
        return given.length === right.length && timingSafeEqual(given, right);
      });
      return at > 0 && isOther ? `${before}${name}=${encodeURIComponent(`${value}.${sign(own!, value)}`)}` : whole;
    },
  );
}

const sign = (secret: string, value: string): string => createHmac('sha256', secret).update(value).digest('base64');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

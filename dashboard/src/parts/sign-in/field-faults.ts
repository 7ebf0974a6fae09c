import type { Say } from '../../language/texts.tsx';
import type { texts } from './texts.ts';

type SignInSay = Say<keyof (typeof texts)['en']>;

/** Copies of the server's limits, because the server makes the final decision. */
const MIN_PASSWORD = 10;
const MAX_PASSWORD = 128;

export function passwordFault(value: string, say: SignInSay): string | null {
  if (value.length < MIN_PASSWORD) return say('password_short');
  return value.length > MAX_PASSWORD ? say('password_long') : null;
}

export const emailFault = (value: string, say: SignInSay): string | null =>
  /^\S+@\S+\.\S+$/.test(value.trim()) ? null : say('email_wrong');

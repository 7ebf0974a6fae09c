import type { ReactNode } from 'react';
import classes from './avatar.module.css';

const HUES = 6;

type Props = {
  name: string;
  /** The ID determines the color, so that the color stays when the name changes. */
  id: string;
  className?: string | undefined;
};

/**
 * Shows the initials of a person on one of six muted colors. The picture is only decorative, because the name is next
 * to it.
 */
export function Avatar({ name, id, className }: Props): ReactNode {
  return (
    <span className={[classes.face, className].filter(Boolean).join(' ')} data-hue={hueOf(id)} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

export const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0)!))
    .join('')
    .toUpperCase();

function hueOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return sum % HUES;
}

import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { number } from '../language/format.ts';
import { useLanguage } from '../language/texts.tsx';
import classes from './figure-tile.module.css';

export const FigureTiles = ({ children }: { children: ReactNode }): ReactNode => (
  <dl className={classes.tiles}>{children}</dl>
);

export type FigurePart = readonly [name: ReactNode, count: number];
type Props = { name: string; to: LinkProps; note: string; parts?: readonly FigurePart[]; children: ReactNode };

/** Shows a number with its name, which is a link to the list, and the numbers of its parts. */
export function FigureTile({ name, to, note, parts = [], children }: Props): ReactNode {
  const language = useLanguage();
  return (
    <div className={classes.tile}>
      <dt>
        <Link {...to}>{name}</Link>
      </dt>
      <dd className={classes.number}>
        <bdi>{children}</bdi>
      </dd>
      <dd className={classes.note}>{note}</dd>
      {parts.map(([what, count], at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the parts of a number do not move
        <dd key={at} className={classes.part}>
          <span>{what}</span> <bdi>{number(language, count)}</bdi>
        </dd>
      ))}
    </div>
  );
}

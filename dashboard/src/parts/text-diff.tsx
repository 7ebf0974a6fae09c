import { Box } from '@mantine/core';
import { diffArrays } from 'diff';
import { Fragment, useMemo, type ReactNode } from 'react';
import classes from './text-diff.module.css';

type Props = { before: string | null; after: string | null; code?: boolean };

/** Compares two texts word by word in any script. Removed text is struck through, and new text is marked. */
export function TextDiff({ before, after, code = false }: Props): ReactNode {
  const parts = useMemo(() => compare(before ?? '', after ?? ''), [before, after]);
  return (
    <Box className={classes.text} dir={code ? 'ltr' : 'auto'} data-code={code || undefined}>
      {parts.map(({ value, added, removed }, index) => {
        if (added) return <ins key={index}>{value.join('')}</ins>;
        if (removed) return <del key={index}>{value.join('')}</del>;
        return <Fragment key={index}>{shortened(value.join(''), index > 0, index < parts.length - 1)}</Fragment>;
      })}
    </Box>
  );
}

type Part = { value: string[]; added: boolean; removed: boolean };

/**
 * Texts with more differences are shown as one removed and one new text, because the work grows with the square of the
 * differences.
 */
const MOST_EDITS = 2_000;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const wordsOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

function compare(before: string, after: string): Part[] {
  const parts = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MOST_EDITS });
  if (parts) return parts;
  return [
    { value: [before], added: false, removed: true },
    { value: [after], added: true, removed: false },
  ];
}

/** On each side of a difference, this many unchanged characters are shown. */
const KEPT = 160;

function shortened(text: string, isAfter: boolean, isBefore: boolean): string {
  if (text.length <= 3 * KEPT) return text;
  return `${isAfter ? text.slice(0, KEPT) : ''} … ${isBefore ? text.slice(-KEPT) : ''}`;
}

import type { ReactNode } from 'react';
import { useWords } from '../../language/words.tsx';
import { isKnownKind } from './kinds.ts';
import { kindWords } from './kind-words.ts';

export function KindName({ kind }: { kind: string }): ReactNode {
  const say = useWords(kindWords);
  return isKnownKind(kind) ? say(`kind_${kind}`) : <code>{kind}</code>;
}

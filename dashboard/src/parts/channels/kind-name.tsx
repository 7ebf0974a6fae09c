import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { isKnownKind } from './kinds.ts';
import { kindNames } from './kind-names.ts';

export function KindName({ kind }: { kind: string }): ReactNode {
  const say = useTexts(kindNames);
  return isKnownKind(kind) ? <span style={{ whiteSpace: 'nowrap' }}>{say(`kind_${kind}`)}</span> : <code>{kind}</code>;
}

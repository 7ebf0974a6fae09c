import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import { useTexts } from '../../language/texts.tsx';
import { KIND_ICONS, KINDS } from '../../parts/channels/kinds.ts';
import { kindNames } from '../../parts/channels/kind-names.ts';
import { kindTexts } from '../../parts/channels/kind-texts.ts';
import classes from './channels.module.css';

/** Shows all kinds that can be connected, with descriptions. */
export function Catalogue({ onChoose }: { onChoose: (kind: ChannelKindName) => void }): ReactNode {
  const say = useTexts(kindTexts);
  const sayName = useTexts(kindNames);
  return (
    <div className={classes.kinds}>
      {KINDS.map((kind, index) => {
        const Sign = KIND_ICONS[kind];
        return (
          <UnstyledButton
            key={kind}
            className={classes.kind}
            data-autofocus={index === 0 || undefined}
            onClick={() => onChoose(kind)}
          >
            <Sign size={22} aria-hidden="true" />
            <span>
              <b>{sayName(`kind_${kind}`)}</b>
              <span>{say(`kind_${kind}_hint`)}</span>
            </span>
          </UnstyledButton>
        );
      })}
    </div>
  );
}

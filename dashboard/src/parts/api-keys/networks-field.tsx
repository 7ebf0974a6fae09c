import { Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Problem } from '../../api/client.ts';
import { useTexts } from '../../language/texts.tsx';
import { texts } from './texts.ts';
import classes from './api-keys.module.css';

type Props = {
  id: string;
  value: string;
  error: ReactNode;
  onChange: (event: { currentTarget: { value: string } }) => void;
};

/** The field has one network per line. Text from other programs often has commas and spaces. */
export const networksOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

/** Returns the server's faults of single networks, each with its network. Null if no network has a fault. */
export function networkFaults({ faults }: Problem, networks: readonly string[]): string | null {
  const sentences = faults.flatMap(({ pointer, detail }) => {
    const index = /^\/allowed_networks\/(\d+)$/.exec(pointer)?.[1];
    return index === undefined ? [] : `${networks[Number(index)]}: ${detail}`;
  });
  return sentences.length > 0 ? sentences.join('\n') : null;
}

export function NetworksField(props: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Textarea
      label={say('networks')}
      description={say('networks_hint')}
      placeholder={'203.0.113.0/24\n2001:db8::/32'}
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: classes.networks, error: classes.networkFaults }}
      {...props}
    />
  );
}

/** Few keys need this field, so it is closed at first, unless it has a value. */
export function OptionalNetworks(props: Props): ReactNode {
  const say = useTexts(texts);
  const [isOpen, setOpen] = useState(props.value !== '');
  return (
    <details
      className={classes.optional}
      open={isOpen || Boolean(props.error)}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{say('networks_optional')}</summary>
      <NetworksField {...props} />
    </details>
  );
}

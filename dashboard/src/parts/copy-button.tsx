import { ActionIcon, Button, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { copyText } from './copy-text.ts';
import { Tip } from './tip.tsx';

type Props = {
  text: string;
  /** The name of the copied text for screen readers, as in "Copy base URL". */
  label?: string;
  /** True: the button has a text. False: the button is only an icon. */
  full?: boolean;
  variant?: 'filled' | 'default';
  onCopied?: () => void;
};

const SHOWN_MS = 2_000;

/**
 * An ancestor with data-copy-scope and an element with data-copy-source are needed to select the text if copying fails.
 */
export function CopyButton({ text, label, full = false, variant = 'default', onCopied }: Props): ReactNode {
  const say = useTexts(common);
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle');
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const copy = async (near: HTMLElement): Promise<void> => {
    const happened = await copyText(text, near);
    setState(happened);
    onCopied?.();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), SHOWN_MS);
  };
  const word = state === 'idle' ? say('copy') : say(state === 'copied' ? 'copied' : 'copy_by_hand');
  const icon = state === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />;
  return (
    <>
      {full ? (
        <Button leftSection={icon} variant={variant} onClick={(event) => void copy(event.currentTarget)} miw={104}>
          {word}
        </Button>
      ) : (
        <Tip label={state === 'idle' ? (label ?? word) : word}>
          {(anchor) => (
            <ActionIcon
              variant="subtle"
              color="gray"
              {...anchor}
              aria-label={label ?? say('copy')}
              onClick={(event) => void copy(event.currentTarget)}
            >
              {icon}
            </ActionIcon>
          )}
        </Tip>
      )}
      <VisuallyHidden aria-live="polite">{state === 'idle' ? '' : word}</VisuallyHidden>
    </>
  );
}

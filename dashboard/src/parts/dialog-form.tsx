import { Box, Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, type FormEvent, type ReactNode, type RefObject } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useWords } from '../language/words.tsx';
import { ProblemAlert } from './problem-alert.tsx';

type Props = {
  onSubmit: (event: FormEvent) => void;
  children: ReactNode;
  /** The text of the button that acts. */
  act: string;
  busy: boolean;
  /** The message that belongs to no field (use-checked-form.ts). */
  problem: Problem | null;
  onCancel: () => void;
  /** Another action, at the other end of the line. */
  aside?: ReactNode;
};

/** The form in a dialog. It is the dialog's only child, so that it is reset each time the dialog opens. */
export function DialogForm({ onSubmit, children, act, busy, problem, onCancel, aside }: Props): ReactNode {
  const say = useWords(common);
  const form = useRef<HTMLFormElement>(null);
  useFirstField(form);
  return (
    <form ref={form} onSubmit={onSubmit} noValidate>
      <Stack>
        {children}
        {problem && <ProblemAlert problem={problem} />}
        <Group justify="flex-end" gap="xs">
          {aside && <Box me="auto">{aside}</Box>}
          <Button variant="default" onClick={onCancel}>
            {say('cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {act}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const FIELDS = '[data-autofocus], input:not([type=hidden], [type=radio]:not(:checked)), textarea, select';

/**
 * The dialog itself focuses `data-autofocus` when it opens. A form that loads later, or without this mark, gets the
 * focus at its first field. Otherwise, the button that closes the dialog has it.
 */
function useFirstField(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    // After the dialog has noted where the focus returns to, and has moved it.
    const timer = setTimeout(() => {
      const { current } = form;
      if (!current?.contains(document.activeElement)) current?.querySelector<HTMLElement>(FIELDS)?.focus();
    });
    return () => clearTimeout(timer);
  }, [form]);
}

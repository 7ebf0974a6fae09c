import { Box, Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, type FormEvent, type ReactNode, type RefObject } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
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
  /** Another action at the other end of the line of buttons. */
  aside?: ReactNode;
};

/** The form in a dialog. The form is the dialog's only child, so that it is reset each time the dialog opens. */
export function DialogForm({ onSubmit, children, act, busy, problem, onCancel, aside }: Props): ReactNode {
  const say = useTexts(common);
  const form = useRef<HTMLFormElement>(null);
  useFirstField(form);
  return (
    <form ref={form} onSubmit={onSubmit} noValidate>
      <Stack>
        {children}
        {problem && <ProblemAlert problem={problem} />}
        <Group data-actions justify="flex-end" gap="xs">
          {aside && <Box me="auto">{aside}</Box>}
          <Button variant="default" onClick={onCancel} disabled={busy}>
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

const FIELDS = 'input:not([type=hidden], [type=radio]:not(:checked)), textarea, select';

/**
 * The dialog focuses `data-autofocus` when it opens. If no element has `data-autofocus`, the first field gets the
 * focus. Without a focused field, the button that closes the dialog would have the focus. A form that loads later sets
 * the focus itself.
 */
function useFirstField(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const { current } = form;
    const first =
      current?.querySelector<HTMLElement>('[data-autofocus]') ?? current?.querySelector<HTMLElement>(FIELDS);
    first?.setAttribute('data-autofocus', 'true');
    // The timer fires after the dialog has stored the element to which the focus returns.
    const timer = setTimeout(() => current?.contains(document.activeElement) || first?.focus());
    return () => clearTimeout(timer);
  }, [form]);
}

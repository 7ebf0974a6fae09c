import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { DialogForm } from './dialog-form.tsx';
import { Dialog } from './dialog.tsx';
import { useCheckedForm } from './use-checked-form.ts';

type Props<T> = {
  /** The current name, or null while the dialog is closed. */
  name: string | null;
  onClose: () => void;
  title: string;
  label: string;
  maxLength: number;
  /** The name of the field on the server. */
  field?: 'name' | 'label';
  /** The message for an empty field. */
  missing?: string;
  save: (name: string) => Promise<T>;
  /** The function is not called if the dialog was closed before the response. */
  onSaved: (saved: T) => void;
};

/** A dialog with one field for a name. */
export function NameDialog<T>({ name, onClose, title, ...rest }: Props<T>): ReactNode {
  return (
    <Dialog opened={name !== null} onClose={onClose} title={title}>
      {name !== null && <NameForm name={name} onClose={onClose} {...rest} />}
    </Dialog>
  );
}

type FormProps<T> = Omit<Props<T>, 'name' | 'title'> & { name: string };

function NameForm<T>(props: FormProps<T>): ReactNode {
  const { name, onClose, label, maxLength, field = 'name', missing, save, onSaved } = props;
  const say = useTexts(common);
  const saving = useMutation<T, Problem, string>({ mutationFn: save });
  const form = useCheckedForm<Record<string, string>>({ [field]: name }, (required) => ({
    [field]: (value) => (value.trim() === '' ? (missing ?? required('required')) : null),
  }));
  const submit = form.submit((values) =>
    saving.mutate(values[field]!.trim(), { onSuccess: onSaved, onError: form.place }),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('save')}
      busy={saving.isPending}
      problem={form.unplaced(saving.error)}
      onCancel={onClose}
    >
      <TextInput
        label={label}
        maxLength={maxLength}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps(field)}
      />
    </DialogForm>
  );
}

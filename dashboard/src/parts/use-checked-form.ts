import { useForm, type UseFormReturnType } from '@mantine/form';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useWords, type Say } from '../language/words.tsx';

type Checks<V> = { [K in keyof V]?: (value: V[K], values: V) => string | null };

/**
 * A form whose faults stand beside their fields and take the focus: those found here, and those that the server
 * names by JSON pointer. Submitting stays possible all the time; it is how one learns what is missing.
 */
export function useCheckedForm<V extends Record<string, unknown>>(
  initialValues: V,
  checks: (say: CommonSay) => Checks<V>,
) {
  const say = useWords(common);
  const form = useForm<V>({ initialValues, validate: checks(say) as never, validateInputOnBlur: false });
  return {
    ...form,
    /** For `onSubmit` of the form element. */
    submit: (act: (values: V) => void) =>
      form.onSubmit(act as never, (faults) => focusFirst(form, Object.keys(faults))),
    /** Puts what the server refused beside its field; true when every fault found its place. */
    place: (problem: Problem): boolean => {
      const placed = problem.faults.map(({ pointer, detail }) => [pointer.split('/')[1] ?? '', detail] as const);
      const known = placed.filter(([name]) => name in form.getValues());
      form.setErrors(Object.fromEntries(known) as never);
      focusFirst(
        form,
        known.map(([name]) => name),
      );
      return placed.length > 0 && known.length === placed.length;
    },
  };
}
export type CommonSay = Say<keyof (typeof common)['en']>;

// oxlint-disable-next-line typescript/no-explicit-any -- the form's own type does not widen
function focusFirst(form: UseFormReturnType<any>, names: readonly string[]): void {
  const first = names[0];
  // After the fault is in the page, so that a screen reader reads the field with it.
  if (first !== undefined) setTimeout(() => form.getInputNode(first)?.focus());
}

import { useId, useState, type FormEvent } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useWords, type Say } from '../language/words.tsx';
import { useFocus } from './use-focus.ts';

type Checks<V> = { [K in keyof V]?: (value: V[K], values: V) => string | null };
type Faults<V> = { [K in keyof V]?: string | null };

type Fault = Problem['faults'][number];
const fieldOf = ({ pointer }: Fault): string => pointer.split('/')[1] ?? '';

/** The refusal, unless all that it says stands beside a field. */
export const unplaced = (problem: Problem | null | undefined, hasField: (fault: Fault) => boolean): Problem | null =>
  problem && (problem.faults.length === 0 || !problem.faults.every(hasField)) ? problem : null;

/**
 * A form whose faults stand beside their fields and take the focus: those found here, and those that the server
 * names by JSON pointer. The names are those of @mantine/form, a tenth of whose size is enough here. Submitting stays possible all the time; it is how one learns what is missing.
 */
export function useCheckedForm<V extends Record<string, string>>(initial: V, checks: (say: CommonSay) => Checks<V>) {
  const say = useWords(common);
  const id = useId();
  // What was not typed follows what is stored, which may change while the user types into another field.
  const [typed, setTyped] = useState<Partial<V>>({});
  const values: V = { ...initial, ...typed };
  const [faults, setFaults] = useState<Faults<V>>({});

  const setFieldValue = <K extends keyof V & string>(name: K, value: V[K]): void => {
    setTyped((before) => ({ ...before, [name]: value }));
    setFaults((before) => ({ ...before, [name]: null }));
  };
  const focusOn = useFocus();
  const focus = (name: string | undefined): void =>
    void (name !== undefined && focusOn(() => document.getElementById(`${id}-${name}`)));
  const show = (found: Faults<V>): boolean => {
    setFaults(found);
    const first = Object.keys(values).find((name) => found[name]);
    focus(first);
    return first !== undefined;
  };
  const told = ({ code, detail }: Fault): string => (code === 'password_too_common' ? say(code) : detail);
  const hasField = (fault: Fault): boolean => Object.hasOwn(values, fieldOf(fault));
  return {
    values,
    /** Something differs from what is stored. */
    edited: Object.entries(typed).some(([name, value]) => value !== initial[name]),
    getValues: () => values,
    setFieldValue,
    setFieldError: (name: keyof V, fault: string | null) => setFaults((before) => ({ ...before, [name]: fault })),
    clearErrors: () => setFaults({}),
    focus,
    reset: () => setTyped({}),
    /** These were saved: from now on they follow what is stored. Later input stays. */
    settled: (saved: V) =>
      setTyped(
        (now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== saved[name])) as Partial<V>,
      ),
    /** For an input of Mantine. */
    getInputProps: <K extends keyof V & string>(name: K) => ({
      id: `${id}-${name}`,
      value: values[name],
      error: faults[name] ?? null,
      onChange: (event: { currentTarget: { value: string } }) => setFieldValue(name, event.currentTarget.value as V[K]),
    }),
    /** For `onSubmit` of the form element. */
    submit: (act: (values: V) => void) => (event: FormEvent) => {
      event.preventDefault();
      const check = checks(say);
      const found = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, check[name]?.(value as V[string], values) ?? null]),
      );
      if (!show(found as Faults<V>)) act(values);
    },
    /** Puts what the server refused beside its field. */
    place: ({ faults: refused }: Problem): void => {
      const known = refused.filter(hasField).map((fault) => [fieldOf(fault), told(fault)] as const);
      show(Object.fromEntries(known) as Faults<V>);
    },
    /** A refusal that must be said of the whole form: some of it stands beside no field. */
    unplaced: (problem: Problem | null | undefined): Problem | null => unplaced(problem, hasField),
  };
}
export type CommonSay = Say<keyof (typeof common)['en']>;

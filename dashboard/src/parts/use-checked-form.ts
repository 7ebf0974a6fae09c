import { useId, useState, type FormEvent } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useTexts, type Say } from '../language/texts.tsx';
import { useFocus } from './use-focus.ts';

type Checks<V> = { [K in keyof V]?: (value: V[K], values: V) => string | null };
type Faults<V> = { [K in keyof V]?: string | null };

type Fault = Problem['faults'][number];
const fieldOf = ({ pointer }: Fault): string => pointer.split('/')[1] ?? '';

/** Returns the refusal, unless fields show all of it. */
export const unplaced = (problem: Problem | null | undefined, hasField: (fault: Fault) => boolean): Problem | null =>
  problem && (problem.faults.length === 0 || !problem.faults.every(hasField)) ? problem : null;

/**
 * A form that shows faults at their fields and moves the focus there. Faults come from the browser's checks, and from
 * the server by JSON pointer. The names are the names of @mantine/form, of which a tenth is enough here. Submitting is
 * always possible, because it shows the user what is missing.
 */
export function useCheckedForm<V extends Record<string, string>>(initial: V, checks: (say: CommonSay) => Checks<V>) {
  const say = useTexts(common);
  const id = useId();
  // Untouched fields follow the stored values, which may change while the user types in another field.
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
  const textOf = ({ code, detail }: Fault): string => (code === 'password_too_common' ? say(code) : detail);
  const hasField = (fault: Fault): boolean => Object.hasOwn(values, fieldOf(fault));
  return {
    values,
    /** True if a value differs from the stored one. */
    edited: Object.entries(typed).some(([name, value]) => value !== initial[name]),
    getValues: () => values,
    setFieldValue,
    setFieldError: (name: keyof V, fault: string | null) => setFaults((before) => ({ ...before, [name]: fault })),
    clearErrors: () => setFaults({}),
    focus,
    reset: () => setTyped({}),
    /**
     * After the sent values were saved, the fields follow the stored values. Input that the user typed during the
     * saving stays.
     */
    settled: (saved: V) =>
      setTyped(
        (now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== saved[name])) as Partial<V>,
      ),
    /** Props for a Mantine input. */
    getInputProps: <K extends keyof V & string>(name: K) => ({
      id: `${id}-${name}`,
      value: values[name],
      error: faults[name] ?? null,
      onChange: (event: { currentTarget: { value: string } }) => setFieldValue(name, event.currentTarget.value as V[K]),
    }),
    /** The `onSubmit` handler of the form element. */
    submit: (act: (values: V) => void) => (event: FormEvent) => {
      event.preventDefault();
      const check = checks(say);
      const found = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, check[name]?.(value as V[string], values) ?? null]),
      );
      if (!show(found as Faults<V>)) act(values);
    },
    /** Shows the server's refusal at its field. */
    place: ({ faults: refused }: Problem): void => {
      const known = refused.filter(hasField).map((fault) => [fieldOf(fault), textOf(fault)] as const);
      show(Object.fromEntries(known) as Faults<V>);
    },
    /** Returns a refusal that the form must show, because a part of it belongs to no field. */
    unplaced: (problem: Problem | null | undefined): Problem | null => unplaced(problem, hasField),
  };
}
export type CommonSay = Say<keyof (typeof common)['en']>;

import type { AgentDefinition, Step } from '../../../contract/agents.ts';
import type { ResultField, ResultType } from '../../../contract/results.ts';
import type { DefinitionFault } from '../../engine/provider.ts';

/** Checks the rules for result fields that the schema cannot express. */
export function resultFaults({ result, steps }: AgentDefinition): DefinitionFault[] {
  const asked = new Map((steps?.items ?? []).map((step) => [step.name, step]));
  const saved = new Set<string>();
  return (result?.fields ?? []).flatMap((field, index) => {
    const step = asked.get(field.name);
    const faults = [...fieldFaults(field, saved), ...(step ? stepFaults(field, step) : [])];
    if (field.save_to !== undefined) saved.add(field.save_to);
    return faults.map((fault) => ({ ...fault, pointer: `/result/fields/${index}${fault.pointer}` }));
  });
}

/**
 * Each JavaScript object has a member with this name, so a reader of `data` would find the member even without the
 * field.
 */
const RESERVED = new Set(['constructor']);

/** The types of fields that may be stored at each place of an end user. */
const FITTING: Readonly<Record<string, readonly ResultType[]>> = {
  'end_user.name': ['text', 'choice'],
  'end_user.email': ['email'],
  'end_user.phone': ['phone'],
  'end_user.locale': ['text', 'choice'],
};

function* fieldFaults(field: ResultField, saved: ReadonlySet<string>): Generator<DefinitionFault> {
  const { name, type, choices, save_to: saveTo } = field;
  if (RESERVED.has(name)) yield { pointer: '/name', code: 'conflict', detail: 'This name is reserved.' };
  if (type === 'choice' && choices === undefined)
    yield { pointer: '/choices', code: 'required', detail: 'A field of type "choice" needs its choices.' };
  if (type !== 'choice' && choices !== undefined)
    yield { pointer: '/choices', code: 'conflict', detail: 'Only a field of type "choice" has choices.' };
  for (const [at, choice] of (choices ?? []).entries())
    if (choices!.indexOf(choice) < at)
      yield { pointer: `/choices/${at}`, code: 'duplicate', detail: 'This choice is used twice.' };
  if (saveTo === undefined) return;
  if (FITTING[saveTo]?.includes(type) === false)
    yield {
      pointer: '/save_to',
      code: 'conflict',
      detail: 'The field that "save_to" names cannot store a value of this type.',
    };
  if (saved.has(saveTo))
    yield {
      pointer: '/save_to',
      code: 'duplicate',
      detail: 'Another field of the result is already saved to the same field of the end user.',
    };
}

/** The types of fields that the answer to a step may fill, by the type of the step. */
const FILLS: Readonly<Record<Step['type'], readonly ResultType[]>> = {
  text: ['text'],
  choice: ['choice', 'text'],
  number: ['number', 'integer'],
  date: ['date', 'text'],
  phone: ['phone', 'text'],
  email: ['email', 'text'],
  yes_no: ['yes_no'],
};

function* stepFaults({ type, choices }: ResultField, step: Step): Generator<DefinitionFault> {
  if (!FILLS[step.type].includes(type)) {
    yield { pointer: '/type', code: 'conflict', detail: `The step of this name asks for a ${step.type}.` };
  } else if (type === 'choice' && step.choices?.some(({ id }) => choices?.includes(id) === false)) {
    yield { pointer: '/choices', code: 'conflict', detail: 'The step of this name has a choice that is not listed.' };
  }
}

import { Type, type Static } from 'typebox';
import { RunRecord, TriggerInput, VariableDeclaration } from '../triggers.ts';
import { closed, Id, Moment, Nullable } from './shapes.ts';

export const TriggerRecord = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    name: Type.String(),
    enabled: Type.Boolean(),
    variables: Type.Array(VariableDeclaration),
    channel_id: Nullable(Type.String()),
    agent_version: Nullable(Type.Integer()),
    /** The path of the trigger's endpoint, without the base URL. */
    path: Type.String(),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'Trigger' },
);
export type TriggerRecord = Static<typeof TriggerRecord>;

export const CreateTriggerBody = Type.Object({ agent_id: Id('agent'), ...TriggerInput.properties }, closed);
export type CreateTriggerBody = Static<typeof CreateTriggerBody>;

export const UpdateTriggerBody = Type.Object(
  {
    name: Type.Optional(TriggerInput.properties.name),
    enabled: TriggerInput.properties.enabled,
    variables: TriggerInput.properties.variables,
    channel_id: TriggerInput.properties.channel_id,
    agent_version: TriggerInput.properties.agent_version,
  },
  { ...closed, minProperties: 1 },
);
export type UpdateTriggerBody = Static<typeof UpdateTriggerBody>;

/**
 * A run with the name of its person, or another text that identifies the person. Null: the person was erased, or has no
 * name.
 */
export const NamedRun = Type.Object({ ...RunRecord.properties, name: Nullable(Type.String()) }, { title: 'NamedRun' });
export type NamedRun = Static<typeof NamedRun>;

import type { TurnPerson } from '../store/end-users/turn-person.ts';

type Person = Omit<TurnPerson, 'consent' | 'blocked'>;

/** The variables that a template of an agent or of a campaign may use. */
export const templateVariables = (
  variables: Record<string, unknown> | undefined,
  person: Person,
): Record<string, unknown> => ({
  ...variables,
  end_user: {
    ...person.attributes,
    id: person.id,
    external_id: person.external_id,
    name: person.name,
    email: person.email,
    phone: person.phone,
    locale: person.locale,
    time_zone: person.time_zone,
  },
});

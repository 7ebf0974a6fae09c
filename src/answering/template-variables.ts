import type { TurnPerson } from '../store/end-users/turn-person.ts';

type Person = Omit<TurnPerson, 'consent' | 'blocked'>;

/** The names of the variables that a template of an agent or of a campaign may use. */
export const templateVariables = (
  variables: Record<string, unknown> | undefined,
  endUser: Person,
): Record<string, unknown> => ({
  ...variables,
  end_user: {
    ...endUser.attributes,
    id: endUser.id,
    external_id: endUser.external_id,
    name: endUser.name,
    email: endUser.email,
    phone: endUser.phone,
    locale: endUser.locale,
    time_zone: endUser.time_zone,
  },
});

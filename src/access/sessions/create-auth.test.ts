import { getAuthTables } from 'better-auth/db';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import * as identity from '../../store/schema/identity.ts';
import { authShape } from './create-auth.ts';

/** Our own columns, in addition to those of better-auth. */
const OWN_COLUMNS: Record<string, string[]> = {
  organization: ['plan', 'requiresSecondFactor', 'timeZone'],
  member: ['opensNext'],
  invitation: ['tokenDigest', 'mailed'],
};

describe('the identity tables', () => {
  const wanted = getAuthTables(authShape());
  const have = Object.fromEntries(Object.values(identity).map((table) => [getTableName(table), table]));

  it('the columns are exactly those of better-auth', () => {
    expect(Object.keys(have).toSorted()).toEqual(
      Object.values(wanted)
        .map((table) => table.modelName)
        .toSorted(),
    );
  });

  it.each(Object.values(wanted).map((table) => [table.modelName, table] as const))(
    '%s has every column of better-auth, of the same type and nullability, and no others',
    (name, table) => {
      const columns = getTableColumns(have[name]!);
      const own = OWN_COLUMNS[name] ?? [];
      expect(
        Object.keys(columns)
          .filter((key) => !own.includes(key))
          .toSorted(),
      ).toEqual(['id', ...Object.keys(table.fields)].toSorted());
      const shape = Object.entries(table.fields).map(([key, field]) => {
        const column = columns[key as keyof typeof columns];
        // A column may be stricter than better-auth requires only if better-auth always writes it.
        return {
          key,
          type: column.dataType === field.type,
          mayBeNull: field.required === false ? !column.notNull : true,
          unique: field.unique ? column.isUnique : true,
        };
      });
      expect(shape).toEqual(shape.map(({ key }) => ({ key, type: true, mayBeNull: true, unique: true })));
    },
  );
});

import type pg from 'pg';
import { PROBLEMS, Refusal } from '../../../contract/problems.ts';
import { isUnreachable, sqlState } from '../db.ts';

/** SQLSTATE of `parley_lost_race()`: the write conflicted with a row that the plan did not know. */
const LOST_RACE = 'PY001';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

const AWAY = 'The database cannot be reached.';
const CONTENDED = 'Too many calls change the same records at this moment.';

export type PlannedWrite<Plan, Out> = {
  /**
   * The maximum number of attempts to plan and write. Each repeated attempt means that another transaction was first.
   */
  readonly tries: number;
  /** Additional SQLSTATEs that mean that another transaction was first. */
  readonly races?: readonly string[];
  /** The plan only reads. */
  plan(client: pg.PoolClient): Promise<Plan>;
  /** One statement writes the whole plan, or nothing if the plan is outdated. */
  write(client: pg.PoolClient, plan: Plan): Promise<Out>;
};

/**
 * Stores accepted calls: reads, plans, writes in one statement, and repeats this if another transaction was first. If
 * the connection to the database is lost before the write, the outcome is `unavailable`. If the connection is lost
 * during the write, the outcome is `outcome_unknown`.
 */
export async function planAndWrite<Plan, Out>(pool: pg.Pool, planned: PlannedWrite<Plan, Out>): Promise<Out> {
  const races = [LOST_RACE, SERIALIZATION_FAILURE, DEADLOCK, ...(planned.races ?? [])];
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect().catch((error: unknown) => {
      throw new Refusal('unavailable', AWAY, { cause: error });
    });
    let lost: Error | undefined;
    let isPlanned = false;
    try {
      const plan = await planned.plan(client);
      isPlanned = true;
      return await planned.write(client, plan);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (isUnreachable(error)) lost = error as Error;
      if (lost) throw isPlanned ? outcomeUnknown(error) : new Refusal('unavailable', AWAY, { cause: error });
      if (!races.includes(sqlState(error) ?? '')) throw error;
      if (attempt === planned.tries) throw new Refusal('unavailable', CONTENDED, { cause: error });
    } finally {
      client.release(lost);
    }
  }
}

/** The statement was sent without a response, so the statement may have committed. */
const outcomeUnknown = (cause: unknown): Refusal =>
  new Refusal('outcome_unknown', PROBLEMS.outcome_unknown.fix, { cause });

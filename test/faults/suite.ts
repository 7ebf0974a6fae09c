import { type Bug, bugs, IMPATIENT } from './bugs.ts';
import { crashEdit, crashPoints } from './edits.ts';
import { createRandom } from './random.ts';
import { type Region, startRegion } from './region.ts';
import { clientTokenScenarios } from './scenarios/client-tokens.ts';
import { crashScenario } from './scenarios/crash.ts';
import { codeScenarios } from './scenarios/own-code.ts';
import { databaseScenarios, poolerScenarios } from './scenarios/database.ts';
import { edgeScenarios } from './scenarios/edges.ts';
import { approvalScenarios } from './scenarios/approvals.ts';
import { modelScenarios as modelFaults } from './scenarios/models.ts';
import { nodeScenarios } from './scenarios/nodes.ts';
import { redisScenarios, startRedis } from './scenarios/redis.ts';
import { totalScenarios } from './scenarios/totals.ts';
import { runTrial, type Scenario } from './trial.ts';

/** The parts of a whole run of the fault suite. */
export const scenarios: Scenario[] = [
  ...nodeScenarios,
  ...databaseScenarios,
  ...edgeScenarios,
  ...totalScenarios,
  ...clientTokenScenarios,
];
/** Only turns of own code reach the crash points that begin with `code:`, and their own scenario uses these points. */
const isOfOwnCode = (name: string): boolean => name.startsWith('code:');
export const crashes = (): Scenario[] => [
  ...crashPoints()
    .filter(({ name }) => !isOfOwnCode(name))
    .map(crashScenario),
  ...codeScenarios,
];
export const modelScenarios: Scenario[] = [...modelFaults, ...approvalScenarios];
export { bugs, poolerScenarios, redisScenarios, startRedis };

export const scenarioNamed = (name: string): Scenario => {
  const found = [...scenarios, ...modelScenarios, ...redisScenarios, ...poolerScenarios, ...crashes()].find(
    (one) => one.name === name,
  );
  if (!found) throw new Error(`There is no scenario "${name}".`);
  return found;
};

/**
 * Starts a region with shortened leases, so that work is taken over within seconds. The region's processes can be
 * killed at named places.
 */
export const impatientRegion = (): Promise<Region> =>
  startRegion({ plan: { edits: [...IMPATIENT, ...crashPoints().map(crashEdit)] } });

/** Starts a region with three workers, because they share gates and budgets, and with short waiting times. */
export const modelRegion = (): Promise<Region> => startRegion({ workers: 3, plan: { edits: IMPATIENT } });

/** Returns the findings of the trial. A trial that failed to finish counts as a finding. */
export async function findings(region: Region, scenario: Scenario, seed: string): Promise<string[]> {
  try {
    return await runTrial(region, scenario, createRandom(`${seed}/${scenario.name}`));
  } catch (error) {
    return [`broke off: ${String((error as Error).stack ?? error).slice(0, 1_500)}`];
  }
}

/**
 * Runs the scenario in its own region with the planted bug and returns the findings. The function repeats a round that
 * does not reach the bug.
 */
export async function hunt(bug: Bug, seed: string): Promise<{ found: boolean; findings: string[] }> {
  const region = await startRegion({ workers: 1, plan: { edits: [...IMPATIENT, ...bug.edits] } });
  try {
    let last: string[] = [];
    for (let round = 1; round <= HUNTS; round++) {
      last = await findings(region, scenarioNamed(bug.scenario), `${seed}/${round}`);
      if (last.some((text) => bug.finding.test(text))) return { found: true, findings: last };
    }
    return { found: false, findings: last };
  } finally {
    await region.close();
  }
}

/** Some bugs are visible only if two events coincide. */
const HUNTS = 6;

import type { Command } from 'commander';
import { styleText } from 'node:util';
import { checkMachine } from '../checks/machine.ts';
import { checkServer } from '../checks/server.ts';
import type { Check } from '../checks/check.ts';
import { EXIT_FAILED } from '../failure.ts';
import { examples, setAction } from '../command-action.ts';

/** Checks the running server and this machine, and suggests an action for each problem. */
export function addDoctorCommand(program: Command): void {
  const doctor = program
    .command('doctor')
    .summary('check the installation')
    .description(
      'Checks the server (health, readiness, version, session, base URL, clock), this machine (Node, packages, data folder, secret, port, mail server, store of files, collector of traces) and its database (version, durability, replication, clock, connections, statistics), and explains how to fix problems. Changes nothing. Exits with 1 when a check fails.',
    );
  setAction(doctor, async (cli) => {
    const server = await checkServer(cli.api, cli.settings);
    const checks = [...server, ...(await checkMachine(process.env, server))];
    const ok = checks.every((check) => check.status !== 'fail');
    cli.out.record({ ok, checks }, () => checks.map(line).join('\n'));
    if (!ok) process.exitCode = EXIT_FAILED;
  });
  examples(doctor, 'doctor', 'doctor --url https://parley.example.com --json');
}

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'], skipped: ['dim', '–'] } as const;

function line(check: Check): string {
  const [colour, mark] = MARKS[check.status];
  const printed = `${styleText(colour, mark, { stream: process.stdout })} ${check.name.padEnd(14)} ${check.detail}`;
  return check.fix === undefined ? printed : `${printed}\n${' '.repeat(17)}→ ${check.fix}`;
}

import type { AgentsDeps } from '../../features/agents/deps.ts';
import type { ChannelsDeps } from '../../features/channels/deps.ts';
import type { SignInDeps } from '../../features/sign-in/sign-in.ts';

/** Checks the caller of the request again. Throws the same errors as the gate. */
type CheckAgain = () => Promise<unknown>;

/** The dependencies that wait for a server or a file of the caller. */
type Waiting = Partial<
  Pick<SignInDeps, 'egress' | 'lookUpTxt'> & Pick<AgentsDeps, 'readFiles'> & { connector: Connecting }
>;
type Connecting = Pick<ChannelsDeps['connector'], 'templates'> & Partial<Pick<ChannelsDeps['connector'], 'connect'>>;

/** The check runs only after a longer wait, because most waits end immediately. */
const SLOW_WAIT_MS = 100;

/**
 * The same dependencies, but the caller is checked again after each slow wait. A provider or a name server that the
 * caller chose, or a large file, may take half a minute. A person who is removed in this time must not change anything after it.
 */
export const checkedAfterWaits = <Deps extends Waiting>(deps: Deps, check: CheckAgain): Deps => {
  const { egress, connector, lookUpTxt, readFiles } = deps;
  const then = <Input extends unknown[], Result>(wait: (...input: Input) => Promise<Result>) => {
    return async (...input: Input): Promise<Result> => {
      const since = performance.now();
      const result = await wait(...input).catch(async (error: unknown) => {
        await check();
        throw error;
      });
      if (performance.now() - since > SLOW_WAIT_MS) await check();
      return result;
    };
  };
  return {
    ...deps,
    ...(egress && { egress: { ...egress, check: then(egress.check) } }),
    ...(connector && {
      connector: {
        ...connector,
        templates: then(connector.templates),
        ...(connector.connect && { connect: then(connector.connect) }),
      },
    }),
    ...(lookUpTxt && { lookUpTxt: then(lookUpTxt) }),
    ...(readFiles && { readFiles: { ...readFiles, read: then(readFiles.read) } }),
  };
};

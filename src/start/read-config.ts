import { type Config, type LoadOptions, loadConfig } from '../config/config.ts';
import { StartError } from '../kernel/start-error.ts';

/** Reads the configuration, or throws one error that lists every fault. */
export function readConfig(warn: (text: string) => void, options?: LoadOptions): Config {
  const loaded = loadConfig(undefined, options);
  if ('config' in loaded) {
    for (const warning of loaded.warnings) warn(warning);
    return loaded.config;
  }
  const lines = loaded.faults.map(({ variable, fault, fix }) => `  ${variable} ${fault}. ${fix}`);
  const count = lines.length === 1 ? 'One setting is' : `${lines.length} settings are`;
  throw new StartError(`${count} wrong:\n${lines.join('\n')}`, 'Nothing was started.');
}

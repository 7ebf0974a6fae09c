import type { Region } from '../contract/regions.ts';
import { openInstallation, prepareOwner } from '../src/access/sessions/prepare-installation.ts';
import type { Installation } from '../src/store/installation/installation.ts';

/** Makes both steps of a start, with `demo` between them. */
export async function prepareInstallation(
  deps: Omit<Parameters<typeof prepareOwner>[0], 'installation'> & {
    region: Region;
    demo?: (installation: Installation) => Promise<void>;
  },
): ReturnType<typeof prepareOwner> {
  const installation = await openInstallation(deps);
  await deps.demo?.(installation);
  return prepareOwner({ ...deps, installation });
}

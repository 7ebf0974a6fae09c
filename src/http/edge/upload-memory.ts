/**
 * What files hold in memory while they arrive, on this node. Each is at most 10 MiB, but a member may send many at once,
 * and slowly. Organizations share the room; one of them never has all of it.
 */
export type UploadMemory = {
  open(orgId: string): Upload;
};
export type Upload = {
  /** False: there is no room for these bytes. */
  take(bytes: number): boolean;
  /** The body is complete, or will not be. */
  release(): void;
};

const MAX_BYTES = 128 * 1024 * 1024;
const MAX_OF_ORGANIZATION = 32 * 1024 * 1024;

export function createUploadMemory({ most = MAX_BYTES, ofOrganization = MAX_OF_ORGANIZATION } = {}): UploadMemory {
  const byOrganization = new Map<string, number>();
  let all = 0;
  return {
    open(orgId) {
      let held = 0;
      return {
        take(bytes) {
          const its = (byOrganization.get(orgId) ?? 0) + bytes;
          if (its > ofOrganization || all + bytes > most) return false;
          byOrganization.set(orgId, its);
          all += bytes;
          held += bytes;
          return true;
        },
        release() {
          const rest = (byOrganization.get(orgId) ?? 0) - held;
          if (rest > 0) byOrganization.set(orgId, rest);
          else byOrganization.delete(orgId);
          all -= held;
          held = 0;
        },
      };
    },
  };
}

/**
 * Limits the memory that incoming files use on this node. Each file has at most 10 MiB, but a member may send many at
 * once, and slowly. Organizations share the memory, and one organization never gets all of it.
 */
export type UploadMemory = {
  open(orgId: string): Upload;
};
export type Upload = {
  /** Returns false if there is no memory left for these bytes. */
  take(bytes: number): boolean;
  /** Called when the body is complete, or when it will never be complete. */
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

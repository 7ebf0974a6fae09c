import { createSharedMemory, type ReservedMemory, type SharedMemory } from '../../kernel/shared-memory.ts';

/**
 * Limits the memory of incoming files, and of reports by strangers. Each file has at most 10 MiB, but a member may send
 * many files at the same time, and slowly.
 */
export type UploadMemory = SharedMemory;
export type Upload = ReservedMemory;

const MAX_BYTES = 128 * 1024 * 1024;
const MAX_OF_ORGANIZATION = 32 * 1024 * 1024;

export const createUploadMemory = ({ most = MAX_BYTES, ofOrganization = MAX_OF_ORGANIZATION } = {}): UploadMemory =>
  createSharedMemory({ most, ofOrganization });

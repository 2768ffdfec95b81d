export const Blob = globalThis.Blob

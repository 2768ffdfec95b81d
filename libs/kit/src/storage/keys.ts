import { DomainError } from '../errors.ts'

/** Keys become paths and addresses: plain segments, no way up, nothing hidden, no `~` (the file driver's own mark). */
export function checkKey(key: string): string {
  const segments = key.split('/')
  const good =
    key.length <= 500 &&
    segments.every((segment) => /^[A-Za-z0-9_@+=,()-][A-Za-z0-9._@+=,() -]{0,180}$/.test(segment) && !segment.includes('..'))
  if (!good) throw new DomainError('invalid', { message: 'This file name is not accepted.' })
  return key
}

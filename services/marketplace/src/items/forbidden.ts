import { isProgramName } from '@operon/contracts/marketplace/programs'

const TYPES = new Set([
  'application/x-msdownload',
  'application/x-elf',
  'application/x-mach-binary',
  'application/x-ms-shortcut',
  'application/x-cfb',
  'application/java-vm',
  'application/vnd.android.package-archive',
  'application/java-archive',
])
// The container of old Word and Excel files is also that of installers.
const OFFICE = /\.(doc|xls|ppt|msg|vsd|pub)\s*$/i

export function isForbidden(name: string, type: string | null): boolean {
  if (isProgramName(name)) return true
  if (type === 'application/x-cfb') return !OFFICE.test(name)
  return TYPES.has(type ?? '')
}

export const DAY_MS = 86_400_000

export function money(cents: number, currency = 'usd') {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: cents % 100 ? 2 : 0,
  }).format(cents / 100)
}
export function day(value: string | number | Date) {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long' }).format(new Date(value))
}
export function moment(value: string | number | Date) {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(value))
}
/** 3 min, 2 h, 5 d: for lists where the newest stands first. */
export function ago(value: string | number | Date, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - new Date(value).getTime()) / 1000))
  if (seconds < 60) return 'now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}
/** 820 bytes, 1.2 MB: in steps of 1024, as plans count their space. */
export function fileSize(bytes: number) {
  const units = ['bytes', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${(bytes / 1024 ** power).toLocaleString('en-US', { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`
}

import { Moon, Sun } from 'lucide-react'
import { loadBackend, sessionNow } from '../api/session.ts'
import { IconButton } from '../ui/Button.tsx'
import { setTheme, useTheme } from '../ui/theme.ts'

export function ThemeToggle() {
  const theme = useTheme()
  const next = theme === 'dark' ? 'light' : 'dark'

  // Kept in this browser at once and with the account where there is one.
  async function toggle() {
    setTheme(next)
    if (sessionNow().status !== 'signed-in') return
    const { auth } = await loadBackend()
    await auth.updateUser({ data: { theme: next } })
  }

  return (
    <IconButton label={`Switch to ${next} theme`} onClick={toggle}>
      {theme === 'dark' ? <Sun /> : <Moon />}
    </IconButton>
  )
}

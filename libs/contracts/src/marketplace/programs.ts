/** Files that run by a double click: people open a download without thinking. An archive is unpacked on purpose. */
const ENDINGS = /\.(exe|scr|com|pif|bat|cmd|msi|msp|cpl|hta|lnk|vbs|vbe|wsf|wsh|jse|ps1|reg|dll|sys|apk|jar)\s*$/i

export const isProgramName = (name: string): boolean => ENDINGS.test(name)

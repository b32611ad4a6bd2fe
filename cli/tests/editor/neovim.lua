-- Opens the file with the language server, mends what it tells, and prints the mistakes before and after.

local client = vim.lsp.start_client({ cmd = { vim.env.HOOKGATE, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)

local function print_when(count)
  local function is_so()
    return #vim.diagnostic.get(0) == count
  end
  if not vim.wait(20000, is_so, 10) then
    io.stdout:write(#vim.diagnostic.get(0) .. ' mistakes in place of ' .. count .. '\n')
    vim.cmd('cquit')
  end
  for _, told in ipairs(vim.diagnostic.get(0)) do
    io.stdout:write((told.lnum + 1) .. ':' .. (told.col + 1) .. ': ' .. told.message .. '\n')
  end
  io.stdout:write(count .. '\n')
end

print_when(2)
-- Typed, not saved.
vim.api.nvim_buf_set_lines(0, 2, 4, true, { 'event = "pre_tool_use"', 'tool = "Bash"' })
print_when(0)
vim.cmd('qall!')

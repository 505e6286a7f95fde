-- Asks for a random one of the interactions that cassettes.py made; COUNT says how many there are.
local count = tonumber(os.getenv("COUNT"))
local requests = {}
math.randomseed(42)
init = function()
  for i = 1, count do
    requests[i] = wrk.format("GET", string.format("/item/%d/detail?lang=en&page=%d", i, i % 7))
  end
end
request = function() return requests[math.random(count)] end
